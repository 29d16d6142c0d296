import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { VectorsPort } from '../ports/vectors-port.ts';

const load = () => import('./vector-store.ts');

/** A tenant's collections. Loads the S3 Vectors client with the first step that needs it. */
export const vectorsPort = /* @__PURE__ */ using(
  ['vectors', 'table:write'],
  ({ table }: Pick<Scope, 'table'>): VectorsPort => ({
    put: async (...request) => (await load()).vectorStore(table).put(...request),
    query: async (...request) => (await load()).vectorStore(table).query(...request),
  }),
);

/** Whether a tenant's collection contains or contained any vector. */
export const hasCollection = /* @__PURE__ */ using(
  ['vectors:find'],
  async (tenant: string, collection: string): Promise<boolean> =>
    (await import('./vector-index.ts')).hasIndex(tenant, collection),
);
