import { notFound } from '../http/errors.ts';
import type { Scope } from '../runtime.ts';
import { type Flow, flowEntity } from './flow.ts';

export type FlowStore = ReturnType<typeof flowStore>;

export const flowStore = ({ table }: Scope) => ({
  async get(id: string): Promise<Flow> {
    const flow = await table.get(flowEntity, { id });
    if (!flow) throw notFound('Flow');
    return flow;
  },
});
