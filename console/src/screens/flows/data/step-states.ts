import type { AnswerOf } from '../../../api/api.ts';

type Span = AnswerOf<'GET /v1/runs/{id}/trace'>['spans'][number];

/** What a step did in the last run of its flow. */
export interface StepState {
  status: string;
  durationMs: number | null;
  /** USD. */
  cost: number;
}

const statuses: Partial<Record<Span['status'], string>> = { ok: 'completed', error: 'failed' };

export function statesOf(spans: readonly Span[]): Map<string, StepState> {
  const costs = costsWithin(spans);
  const states = new Map<string, StepState>();
  for (const { spanId, kind, status, durationMs, attributes } of spans) {
    const stepId = attributes['flow.step.id'];
    if (kind !== 'step' || typeof stepId !== 'string') continue;
    states.set(stepId, {
      status: statuses[status] ?? status,
      durationMs,
      cost: costs.get(spanId) ?? 0,
    });
  }
  return states;
}

/** The cost of each span with what is inside of it. Parents come before their children. */
function costsWithin(spans: readonly Span[]): Map<string, number> {
  const costs = new Map<string, number>();
  for (const { spanId, parentSpanId, kind, attributes } of spans.toReversed()) {
    const own = kind === 'model' ? Number(attributes['run.cost_usd'] ?? 0) : 0;
    const cost = own + (costs.get(spanId) ?? 0);
    costs.set(spanId, cost);
    if (parentSpanId) costs.set(parentSpanId, (costs.get(parentSpanId) ?? 0) + cost);
  }
  return costs;
}
