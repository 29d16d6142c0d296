import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { deliveriesPartition } from './delivery.ts';

export const deliveryRemover = /* @__PURE__ */ using(
  ['table:write', 'table:delete'],
  ({ table }: Scope) =>
    (surfaceId: string): Promise<void> =>
      table.removeRange({ partition: deliveriesPartition(surfaceId) }),
);
