import * as z from 'zod';
import { formatDescription, webhookFormats } from '../../shared/adapters/messages/webhook-formats.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo } from '../../shared/core/name.ts';
import { AlertScope, alertMetrics, alertStates } from '../../shared/domain/alerts/alert.ts';
import type { ShownAlert } from '../../shared/domain/alerts/alert-store.ts';
import { ServerUrl } from '../../shared/domain/flows/steps/http-config.ts';
import { runKinds } from '../../shared/domain/runs/run.ts';
import { uniqueAddresses } from '../../shared/platform/http/validation.ts';

export const AlertParams = z.object({ id: resourceId('alert') });

const ScopeInput = z
  .strictObject({
    kind: z.enum(runKinds).optional(),
    flowId: resourceId('flow').optional(),
    agentId: resourceId('agent').optional(),
    surfaceId: resourceId('surface').optional(),
    scheduleId: resourceId('schedule').optional(),
    model: z.string().min(1).max(200).optional().meta({
      description: '`<provider>/<modelId>`: the calls of a model by runs without a parent, instead of runs',
    }),
  })
  .meta({ description: 'Which runs count. Runs inside of others do not' });

const members = {
  name: nameUpTo(100),
  metric: z.enum(alertMetrics).meta({
    description:
      '`failure-rate`: 0 to 1. `duration-p95`: milliseconds. `cost`: USD. `runs`: how many ended. `waiting`: open waits of the inbox now',
  }),
  scope: ScopeInput,
  windowMinutes: z.int().min(5).max(1_440),
  above: z.number().optional(),
  below: z.number().optional(),
  minRuns: z.int().min(1).max(1_000_000).meta({
    description: 'With fewer runs in the window there are no data. 1 for `runs` and `waiting`',
  }),
  notify: z.strictObject({
    webhookUrl: ServerUrl.optional(),
    webhookFormat: z.enum(webhookFormats).optional().meta({ description: formatDescription }),
    emails: z.array(z.email().max(254)).max(10).check(uniqueAddresses).optional(),
  }),
  enabled: z.boolean(),
};

const example = {
  name: 'Refunds fail',
  metric: 'failure-rate',
  scope: { kind: 'flow' },
  windowMinutes: 15,
  above: 0.05,
  minRuns: 20,
  notify: { emails: ['ada@example.com'] },
} as const;

export const NewAlert = z
  .strictObject({
    ...members,
    scope: members.scope.default({}),
    minRuns: members.minRuns.default(1),
    notify: members.notify.default({}),
    enabled: members.enabled.default(true),
  })
  .refine(({ above, below }) => (above === undefined) !== (below === undefined), {
    path: ['above'],
    message: 'Give exactly one of above and below',
  })
  .meta({ examples: [example] });

export const AlertChange = z
  .strictObject(members)
  .partial()
  .refine(({ above, below }) => above === undefined || below === undefined, {
    path: ['above'],
    message: 'Give at most one of above and below',
  })
  .meta({ examples: [{ enabled: false }] });

export const AlertResponse = z
  .object({
    id: z.string(),
    name: z.string(),
    metric: z.enum(alertMetrics),
    scope: AlertScope,
    windowMinutes: z.int(),
    above: z.number().optional(),
    below: z.number().optional(),
    minRuns: z.int(),
    notify: z.object({
      webhookUrl: z.string().optional(),
      webhookFormat: z.enum(webhookFormats).optional(),
      emails: z.array(z.string()),
      secret: z.string().optional().meta({
        description:
          'The key that signs what the webhook gets. Shown by the response that made it, and never again',
      }),
    }),
    enabled: z.boolean(),
    state: z.enum(alertStates).meta({ description: 'At the last evaluation, a minute ago at most' }),
    value: z.number().nullable(),
    since: z.string().meta({ description: 'Since when it is in this state' }),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({
    id: 'Alert',
    examples: [
      {
        ...example,
        notify: { emails: ['ada@example.com'] },
        id: 'alert_01k9m4v7d3x8qz5w2r6t0y1hbn',
        enabled: true,
        state: 'ok',
        value: 0.01,
        since: '2026-11-26T09:30:00.000Z',
        createdAt: '2026-11-26T09:30:00.000Z',
        updatedAt: '2026-11-26T09:30:00.000Z',
      },
    ],
  });

export const toAlertResponse = ({ alert, standing, secret }: ShownAlert): z.input<typeof AlertResponse> => {
  const { webhookUrl, webhookFormat, sealedSecret: _sealed, emails, revision: _revision, ...members } = alert;
  const { state, value, since } = standing;
  return {
    ...members,
    notify: {
      emails,
      ...(webhookUrl !== undefined && { webhookUrl }),
      ...(webhookFormat !== undefined && { webhookFormat }),
      ...(secret !== undefined && { secret }),
    },
    state,
    value,
    since,
  };
};
