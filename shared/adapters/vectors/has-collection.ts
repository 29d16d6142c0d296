import { using } from '../../platform/aws/uses.ts';

/** Whether a tenant's collection contains or contained any vector. */
export const hasCollection = /* @__PURE__ */ using(
  ['vectors:find'],
  async (tenant: string, collection: string): Promise<boolean> =>
    (await import('./vector-index.ts')).hasIndex(tenant, collection),
);
