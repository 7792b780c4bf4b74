import { type Context, createContextKey } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";

/** One call in a hundred is sampled: a call has ten to twenty spans. */
const defaultSampler = "parentbased_traceidratio";
const defaultRatio = 0.01;

/** Marks a context whose request is sampled already: every span in it is recorded. */
const decided = createContextKey("sampled");
export const sampled = (context: Context): Context => context.setValue(decided, true);

/** The sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG name. It decides for requests only. */
export function samplerOf(
  env: Record<string, string | undefined>,
  warn: (message: string) => void,
): Sampler {
  const configured = byName(env["OTEL_TRACES_SAMPLER"] || defaultSampler, ratioOf(env, warn));
  if (!configured)
    warn(`OTEL_TRACES_SAMPLER names no OpenTelemetry sampler; using ${defaultSampler}`);
  const sampler = configured ?? (byName(defaultSampler, defaultRatio) as Sampler);
  return {
    shouldSample: (context, ...rest) =>
      context.getValue(decided)
        ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
        : sampler.shouldSample(context, ...rest),
    toString: () => sampler.toString(),
  };
}

function byName(name: string, ratio: number): Sampler | undefined {
  const [, parentBased, root] = /^(parentbased_)?(.*)$/.exec(name) as RegExpExecArray;
  const samplers: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const sampler = samplers[root as string]?.();
  return sampler && parentBased ? new ParentBasedSampler({ root: sampler }) : sampler;
}

function ratioOf(
  { OTEL_TRACES_SAMPLER_ARG: text }: Record<string, string | undefined>,
  warn: (message: string) => void,
): number {
  if (!text) return defaultRatio;
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  warn(`OTEL_TRACES_SAMPLER_ARG is not between 0 and 1; using ${defaultRatio}`);
  return defaultRatio;
}
