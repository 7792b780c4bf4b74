export interface TracingSettings {
  /** "api" or "worker". */
  role: string;
  env: Record<string, string | undefined>;
  warn: (message: string, fields: Record<string, unknown>) => void;
}
