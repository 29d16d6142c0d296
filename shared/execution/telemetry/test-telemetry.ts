import { randomBytes } from 'node:crypto';
import { collectorOfSetting, MissingSecret } from '../../domain/telemetry/collector.ts';
import { telemetryReader } from '../../domain/telemetry/telemetry-store.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { spanSender } from './send-spans.ts';

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
      const { error, status } = await spanSender(scope)(collector, [testSpan(scope.now())]);
      return { ok: error === null, status, message: error ?? 'The collector took the span' };
    } catch (error) {
      if (!(error instanceof MissingSecret)) throw error;
      return { ok: false, status: null, message: error.message };
    }
  },
);

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
