import { using } from '../../platform/aws/uses.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Run, runEntity } from './run.ts';

/** A run by its id, inside of another or not. */
export const runFinder = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Pick<Scope, 'table'>) =>
    async (id: string): Promise<Run | undefined> => {
      const keys = [runEntity.key({ id }), runEntity.key({ id, parentRunId: 'inside' })];
      const item = (await table.getMany(keys, { consistent: true })).find(Boolean);
      return item && decode(runEntity, item);
    },
);
