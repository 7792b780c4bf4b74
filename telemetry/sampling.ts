import { type Context, createContextKey } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";

/** Of a hundred calls one: a call has ten to twenty spans. */
const usualSampler = "parentbased_traceidratio";
const usualRatio = 0.01;

/** Set where the request has been decided on: all that belongs to it follows. */
const decided = createContextKey("sampled");
export const sampled = (context: Context): Context => context.setValue(decided, true);

/** The sampler that OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG name; asked for requests only. */
export function samplerOf(
  env: Record<string, string | undefined>,
  warn: (message: string) => void,
): Sampler {
  const named = byName(env["OTEL_TRACES_SAMPLER"] || usualSampler, ratioOf(env, warn));
  if (!named) warn(`OTEL_TRACES_SAMPLER is none of OpenTelemetry's; ${usualSampler} is taken`);
  const sampler = named ?? (byName(usualSampler, usualRatio) as Sampler);
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
  if (!text) return usualRatio;
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  warn(`OTEL_TRACES_SAMPLER_ARG is not between 0 and 1; ${usualRatio} is taken`);
  return usualRatio;
}
