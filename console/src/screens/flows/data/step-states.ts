import type { OperationResponse } from '../../../api/api.ts';

type Span = OperationResponse<'runs.trace'>['spans'][number];

/** What a step did in the last run of its flow; one that ran several times, in all of them together. */
export interface StepState {
  status: string;
  durationMs: number | null;
  /** USD. */
  cost: number;
}

const statuses: Partial<Record<Span['status'], string>> = { ok: 'completed', error: 'failed' };

export function stepStates(spans: readonly Span[]): Map<string, StepState> {
  const costs = costsWithin(spans);
  const ofSteps = Map.groupBy(
    spans.filter(({ kind, attributes }) => kind === 'step' && typeof attributes['flow.step.id'] === 'string'),
    ({ attributes }) => String(attributes['flow.step.id']),
  );
  return new Map(
    [...ofSteps].map(([stepId, times]) => [
      stepId,
      {
        status: worstOf(times.map(({ status }) => statuses[status] ?? status)),
        durationMs: durationOf(times),
        cost: times.reduce((sum, { spanId }) => sum + (costs.get(spanId) ?? 0), 0),
      },
    ]),
  );
}

/** What somebody has to know first. */
const ranked = ['failed', 'waiting', 'running', 'cancelled', 'completed', 'skipped'];
const worstOf = (all: readonly string[]) => ranked.find((status) => all.includes(status)) ?? all[0] ?? '';

/** From the first start to the last end. */
function durationOf(times: readonly Span[]): number | null {
  const [only, ...others] = times;
  if (only && others.length === 0) return only.durationMs;
  const starts = times.map(({ startedAt }) => Date.parse(startedAt));
  const ends = times.map(({ endedAt }) => (endedAt === null ? Number.NaN : Date.parse(endedAt)));
  const all = Math.max(...ends) - Math.min(...starts);
  return Number.isNaN(all) ? null : all;
}

/** The cost of each span with what is inside of it. Parents come before their children. */
function costsWithin(spans: readonly Span[]): Map<string, number> {
  const costs = new Map<string, number>();
  for (const { spanId, parentSpanId, kind, attributes } of spans.toReversed()) {
    const ofCall = kind === 'model' ? Number(attributes['run.cost_usd'] ?? 0) : 0;
    const cost = ofCall + (costs.get(spanId) ?? 0);
    costs.set(spanId, cost);
    if (parentSpanId) costs.set(parentSpanId, (costs.get(parentSpanId) ?? 0) + cost);
  }
  return costs;
}
