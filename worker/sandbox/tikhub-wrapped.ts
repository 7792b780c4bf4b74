/** TikHub's wrapper around a platform's own JSON. */
export function wrapped(path: string, data: unknown): unknown {
  return {
    code: 200,
    request_id: "00000000-0000-4000-8000-000000000000",
    message: "Request successful. This request will incur a charge.",
    router: path,
    params: {},
    data,
  };
}
