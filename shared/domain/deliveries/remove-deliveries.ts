import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { deliveriesPartition } from './delivery.ts';

export const deliveryRemover = /* @__PURE__ */ using(
  ['table:write'],
  ({ table }: Scope) =>
    async (surfaceId: string): Promise<void> => {
      const partition = deliveriesPartition(surfaceId);
      for await (const items of table.pages({ partition, limit: 200 })) await table.removeAll(items);
    },
);
