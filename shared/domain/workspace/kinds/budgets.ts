import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { BudgetScope } from '../../budgets/budget/budget.ts';
import { budgetReader } from '../../budgets/budget-store.ts';
import type { ResourceMembers, WorkspaceKind } from './kind.ts';
import type { ReferenceTarget } from './references.ts';

const targets: Readonly<Record<Exclude<BudgetScope['type'], 'tenant'>, ReferenceTarget>> = {
  flow: 'flows',
  agent: 'agents',
  product: 'products',
  surface: 'surfaces',
  apiKey: 'apiKeys',
  clientToken: 'clientTokens',
  modelConfig: 'modelConfigs',
};

export const budgetsKind: WorkspaceKind = {
  group: 'BUDGETS',
  noun: 'budget',
  limited: 'budgets',
  nameMember: 'name',
  getName: ({ name }) => String(name),
  defaults: { timezone: 'UTC', alertAt: [50, 80, 100], notify: {} },
  tidy: ({ alertAt, notify, ...content }) => ({
    ...content,
    ...(Array.isArray(alertAt) && { alertAt: alertAt.toSorted((one, other) => one - other) }),
    ...(notify !== undefined && { notify: tidyNotify(notify as ResourceMembers) }),
  }),
  fit: (content, before) => ({
    content,
    notes:
      readWebhook(content) !== undefined && readWebhook(before) === undefined
        ? ['the key that signs what its webhook gets is made, and the response to the apply shows it once']
        : [],
  }),
  references: (content, change, path = []) => {
    const { scope } = content as { scope?: Partial<BudgetScope> };
    const target = scope?.type === undefined || scope.type === 'tenant' ? undefined : targets[scope.type];
    if (typeof scope?.id !== 'string' || !target) return content;
    return { ...content, scope: { ...scope, id: change(target, scope.id, [...path, 'scope', 'id']) } };
  },
  read: /* @__PURE__ */ using([budgetReader], (scope: Scope) => async () => {
    const budgets = await budgetReader(scope).list();
    return budgets.map(
      ({ id, name, period, limit, timezone, action, alertAt, webhookUrl, emails, ...rest }) => ({
        id,
        content: {
          name,
          scope: rest.scope,
          period,
          limit,
          timezone,
          action,
          alertAt,
          notify: { webhookUrl, emails },
        },
      }),
    );
  }),
};

const readWebhook = (content: ResourceMembers | undefined) =>
  (content?.notify as { webhookUrl?: string } | undefined)?.webhookUrl;

const tidyNotify = ({ webhookUrl, emails }: ResourceMembers) => ({
  ...(webhookUrl !== undefined && { webhookUrl }),
  ...(Array.isArray(emails) && emails.length > 0 && { emails }),
});
