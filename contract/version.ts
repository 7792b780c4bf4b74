/** The served version; the only allowed value of the request header Svc-Version. */
export const currentVersion = "2026-07-01";
