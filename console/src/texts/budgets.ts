import { plural } from './language.ts';

export const budgetTexts = {
  noBudgets: 'No budgets',
  aboutBudgets:
    'A budget limits what calls of models may cost in a period: of everything, or of one flow, agent, product or key. It tells you before it is spent, and can refuse calls that would exceed it.',
  createBudget: 'Create budget',
  budgetCount: (budgets: number) => plural(budgets, { one: '# budget', other: '# budgets' }),
  copyBudgetId: 'Copy budget ID',
  nothingLimits: 'Nothing limits the next calls of models.',
  signingSecret: 'The signing secret of the webhook',

  scope: 'Scope',
  spent: 'Spent',
  resets: 'Resets',
  never: 'never',
  spentOf: (spent: string, limit: string) => `${spent} of ${limit}`,
  spentPercent: (name: string) => `Spent of ${name}`,
  notCounted: 'Some calls had no price and are not counted',
  payers: {
    tenant: 'Everything',
    flow: 'Flow',
    agent: 'Agent',
    product: 'Product',
    surface: 'Surface',
    apiKey: 'API key',
    clientToken: 'Client token',
    modelConfig: 'Model',
  },
  periods: { hour: 'each hour', day: 'each day', week: 'each week', month: 'each month', total: 'in total' },
};
