export const a2aPath = '/v1/products/{id}/surfaces/{surfaceId}/a2a';

export const surfaceA2aPath = ({ id, surfaceId }: { id: string; surfaceId: string }) =>
  `/v1/products/${id}/surfaces/${surfaceId}/a2a`;

/** The header by which clients select a version of the protocol. */
export const a2aHeaders = ['A2A-Version'] as const;

/** Below the path of the agent: the public keys of its card. */
export const keysPath = '/.well-known/jwks.json';
