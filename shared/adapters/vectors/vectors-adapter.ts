import type { VectorsPort } from '../ports.ts';

const load = () => import('./vector-store.ts');

/** Whether anything was ever stored in a tenant's collection. */
export const hasCollection = async (tenant: string, collection: string): Promise<boolean> =>
  (await load()).hasIndex(tenant, collection);

/** A tenant's collections; the client of S3 Vectors is loaded by the first step that needs it. */
export const vectorsPort = (tenant: string): VectorsPort => ({
  put: async (...request) => (await load()).vectorStore(tenant).put(...request),
  query: async (...request) => (await load()).vectorStore(tenant).query(...request),
});
