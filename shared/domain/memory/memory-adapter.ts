import type { MemoryPort } from '../../adapters/ports/memory-port.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** The tenant's memories, as a port for running flows and agents. Loads the S3 Vectors client with the first use. */
export const memoryPort = /* @__PURE__ */ using(
  ['table:write', 'table:delete', 'vectors'],
  (scope: Scope): MemoryPort => ({
    open: async (profile) => (await import('./profile-memory.ts')).openProfile(scope, profile),
  }),
);
