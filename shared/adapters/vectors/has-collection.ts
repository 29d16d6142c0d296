import { using } from '../../platform/aws/uses.ts';

/** Whether anything was ever stored in a tenant's collection. */
export const hasCollection = /* @__PURE__ */ using(
  ['vectors:find'],
  async (tenant: string, collection: string): Promise<boolean> =>
    (await import('./vector-index.ts')).hasIndex(tenant, collection),
);
