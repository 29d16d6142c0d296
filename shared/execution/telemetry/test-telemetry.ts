import { randomBytes } from 'node:crypto';
import { collectorOfSetting, MissingSecret } from '../../domain/telemetry/collector.ts';
import { telemetryReader } from '../../domain/telemetry/telemetry-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type SendingOutcome, spanSender } from './send-spans.ts';

export interface TestResult {
  ok: boolean;
  /** Null without a response. */
  status: number | null;
  message: string;
}

/** Sends one span once, also if the setting is disabled. @throws 404 without a setting */
export const telemetryTester = /* @__PURE__ */ using(
  [telemetryReader, collectorOfSetting, spanSender],
  (scope: Scope) => async (): Promise<TestResult> => {
    const setting = await telemetryReader(scope)();
    try {
      const collector = await collectorOfSetting(scope)(setting);
      return toTestResult(await spanSender(scope)(collector, [testSpan(scope.now())]));
    } catch (error) {
      if (!(error instanceof MissingSecret)) throw error;
      return { ok: false, status: null, message: error.message };
    }
  },
);

function toTestResult({ error, status, rejectedSpans, said }: SendingOutcome): TestResult {
  if (error !== null) return { ok: false, status, message: error };
  if (rejectedSpans > 0)
    return { ok: false, status, message: `The collector rejected the span${said ? `: ${said}` : ''}` };
  return { ok: true, status, message: `The collector accepted the span${said ? `, and says: ${said}` : ''}` };
}

const testSpan = (at: Date) => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  parentSpanId: null,
  name: 'test',
  isClient: false,
  startedAt: at.getTime(),
  endedAt: at.getTime(),
  status: 'ok' as const,
  attributes: { test: true },
});
