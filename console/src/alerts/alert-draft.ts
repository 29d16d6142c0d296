import type { OperationItem, OperationRequest } from '../api/api.ts';
import { alertTexts } from '../texts/alerts.ts';
import { language } from '../texts/language.ts';
import { sharedTexts } from '../texts/shared.ts';
import { dollars, durationText } from '../ui/values/format.ts';

export type ListedAlert = OperationItem<'alerts.list'>;
export type Metric = ListedAlert['metric'];
export type ScopeKind = keyof typeof alertTexts.scopes;
type Body = OperationRequest<'alerts.create'>['body'];

/** An alert as a form has it: numbers as texts, in the units in which people think of them. */
export interface AlertDraft {
  name: string;
  metric: Metric;
  direction: 'above' | 'below';
  bound: string;
  windowMinutes: number;
  scope: ScopeKind;
  /** The id of the flow, agent, schedule or surface, or the name of the model. */
  target: string;
  minRuns: string;
  emails: string;
  webhookUrl: string;
  webhookFormat: '' | 'standard' | 'slack' | 'teams';
  enabled: boolean;
}

export const emptyDraft: AlertDraft = {
  name: '',
  metric: 'failure-rate',
  direction: 'above',
  bound: '',
  windowMinutes: 15,
  scope: 'all',
  target: '',
  minRuns: '1',
  emails: '',
  webhookUrl: '',
  webhookFormat: '',
  enabled: true,
};

const { templateNames } = alertTexts;

/** What people want to know first. */
export const alertTemplates = {
  schedule: { metric: 'runs', direction: 'below', bound: '1', windowMinutes: 1_440, scope: 'schedule' },
  failures: { metric: 'failure-rate', bound: '5', windowMinutes: 15, minRuns: '20' },
  slow: { metric: 'duration-p95', bound: '30', windowMinutes: 30, minRuns: '5' },
  cost: { metric: 'cost', bound: '20', windowMinutes: 1_440 },
} as const satisfies Record<keyof typeof templateNames, Partial<AlertDraft>>;
export type TemplateName = keyof typeof alertTemplates;

export const createTemplateDraft = (name: TemplateName): AlertDraft => ({
  ...emptyDraft,
  name: templateNames[name],
  ...alertTemplates[name],
});

/** How many of a unit of the form are one of the API. */
const factors: Partial<Record<Metric, number>> = { 'failure-rate': 100, 'duration-p95': 0.001 };

/** 5.000000000000001 is 5. */
const clean = (value: number) => Number(value.toPrecision(12));

const kindsOf = { flows: 'flow', agents: 'agent', batches: 'batch', tools: 'tool' } as const;
const membersOf = {
  flow: 'flowId',
  agent: 'agentId',
  schedule: 'scheduleId',
  surface: 'surfaceId',
  model: 'model',
} as const;

/** Metrics that have a value without any run. */
export const needsNoRuns = (metric: Metric) => metric === 'runs' || metric === 'waiting';

export function toBody(draft: AlertDraft): Body {
  const { name, metric, direction, bound, windowMinutes, minRuns, enabled } = draft;
  const emails = [...new Set(draft.emails.split(/[\s,;]+/).filter((email) => email !== ''))];
  const webhookUrl = draft.webhookUrl.trim();
  const number = (text: string) => (text.trim() === '' ? Number.NaN : Number(text.trim().replace(',', '.')));
  return {
    name: name.trim() || describe(metric, direction, toApi(metric, number(bound)), windowMinutes),
    metric,
    scope: toScope(draft),
    windowMinutes,
    [direction]: toApi(metric, number(bound)),
    minRuns: needsNoRuns(metric) ? 1 : number(minRuns),
    notify: {
      ...(webhookUrl !== '' && { webhookUrl }),
      ...(webhookUrl !== '' && draft.webhookFormat !== '' && { webhookFormat: draft.webhookFormat }),
      ...(emails.length > 0 && { emails }),
    },
    enabled,
  };
}

const toApi = (metric: Metric, value: number) => clean(value / (factors[metric] ?? 1));

function toScope({ scope, target }: AlertDraft): NonNullable<Body['scope']> {
  if (scope === 'all') return {};
  if (scope in kindsOf) return { kind: kindsOf[scope as keyof typeof kindsOf] };
  return { [membersOf[scope as keyof typeof membersOf]]: target.trim() };
}

export function toAlertDraft(alert: ListedAlert): AlertDraft {
  const { name, metric, windowMinutes, above, below, minRuns, enabled, notify } = alert;
  return {
    name,
    metric,
    direction: above === undefined ? 'below' : 'above',
    bound: String(clean((above ?? below ?? 0) * (factors[metric] ?? 1))),
    windowMinutes,
    ...scopeOf(alert),
    minRuns: String(minRuns),
    emails: notify.emails.join('\n'),
    webhookUrl: notify.webhookUrl ?? '',
    webhookFormat: notify.webhookFormat ?? '',
    enabled,
  };
}

/** One member of the scope: the form sets no more. */
function scopeOf({ scope }: ListedAlert): Pick<AlertDraft, 'scope' | 'target'> {
  for (const [kind, member] of Object.entries(membersOf)) {
    const target = scope[member];
    if (target !== undefined) return { scope: kind as ScopeKind, target };
  }
  const [kind] = Object.entries(kindsOf).find(([, value]) => value === scope.kind) ?? ['all'];
  return { scope: kind as ScopeKind, target: '' };
}

/** Whether the form would lose a part of the scope. */
export const hasMixedScope = ({ scope }: ListedAlert): boolean => Object.keys(scope).length > 1;

const percent = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

/** A value of a metric as people read it. */
export function metricText(metric: Metric, value: number): string {
  switch (metric) {
    case 'failure-rate':
      return sharedTexts.percent(percent.format(value * 100));
    case 'duration-p95':
      return durationText(value).replace('.0 ', ' ');
    case 'cost':
      return dollars(value);
    case 'waiting':
      return alertTexts.questionCount(value);
    default:
      return alertTexts.runCount(value);
  }
}

export const windowText = (minutes: number): string =>
  alertTexts.windows[minutes] ?? alertTexts.minutes(minutes);

/** Numbers of things have words of their own: `More than 5 runs failed in 15 minutes`, `No run ended in 24 hours`. */
function describe(
  metric: Metric,
  direction: 'above' | 'below',
  bound: number,
  windowMinutes: number,
): string {
  const text = Number.isFinite(bound) ? metricText(metric, bound) : '…';
  const counted = alertTexts.counted[metric as keyof typeof alertTexts.counted];
  const window = metric === 'waiting' ? '' : windowText(windowMinutes);
  if (metric === 'runs' && direction === 'below' && bound === 1) return alertTexts.noRunEnded(window);
  if (counted) return counted[direction](text, window);
  const say = direction === 'above' ? alertTexts.over : alertTexts.under;
  return say(alertTexts.metrics[metric], text, window);
}

/** `Failure rate over 5 % in 15 minutes`. */
export const conditionText = ({ metric, above, below, windowMinutes }: ListedAlert): string =>
  describe(metric, above === undefined ? 'below' : 'above', above ?? below ?? 0, windowMinutes);

/** A round number a little above what a chart shows. */
export function roundBound(most: number): number {
  if (most <= 0) return 1;
  const size = 10 ** Math.floor(Math.log10(most));
  return clean(([1, 2, 5, 10].find((step) => step * size > most) ?? 10) * size);
}
