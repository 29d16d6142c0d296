import { loadOnce } from '../../core/concurrency/load-once.ts';

/** Loaded when first used, so that only what exports has it. */
export const traceSerializer = loadOnce(async () => {
  const { ProtobufTraceSerializer } = await import('@opentelemetry/otlp-transformer');
  return ProtobufTraceSerializer;
});
