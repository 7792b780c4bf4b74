export const backlinks = [] as const;
