import { budgetEntity } from '../../../shared/domain/budgets/budget/budget.ts';
import { countingTable, type Tenant } from '../stack/stack.ts';
import { expectStatus } from './flows.ts';

type Caller = Pick<Tenant, 'call'>;

export const createBudget = ({ call }: Caller, changes: object = {}) =>
  expectStatus(
    201,
    call('POST', '/v1/budgets', {
      body: {
        name: 'A budget',
        scope: { type: 'tenant' },
        period: 'total',
        limit: '1.00',
        action: 'block',
        ...changes,
      },
    }),
  );

/** One of the tenant that is spent. */
export async function createSpentBudget(tenant: Pick<Tenant, 'call' | 'tenant'>): Promise<string> {
  const { id } = await createBudget(tenant);
  const table = countingTable(tenant.tenant);
  await table.commit([table.writes.update(budgetEntity, { id }, { add: { spent: '1000000000000000' } })]);
  return id;
}

export const getBudget = ({ call }: Caller, id: string) =>
  expectStatus(200, call('GET', `/v1/budgets/${id}`));

/** A model of the price list, on a server that is nobody's. */
export const askStep = (userPrompt: string, config: object = {}) => ({
  type: 'prompt',
  name: 'ask',
  config: { model: 'generic-openai/gpt-4o-mini', userPrompt, ...config },
});

/** A run of these steps, which are sent with it. */
export const dispatchSteps = async ({ call }: Caller, steps: object[]) =>
  call('POST', '/v1/dispatch', {
    body: { flow: { name: 'a flow', steps }, options: { streamResponse: false } },
  });
