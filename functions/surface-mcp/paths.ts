export const mcpPath = '/v1/products/{id}/surfaces/{surfaceId}/mcp';

/** Where RFC 9728 puts the metadata of a resource: in front of its path. */
export const wellKnown = '/.well-known/oauth-protected-resource';
export const mcpMetadataPath = `${wellKnown}${mcpPath}` as const;

/** What browsers' MCP clients send. Sessions are not answered, but named by clients that had one. */
export const mcpHeaders = ['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'] as const;

export const surfaceMcpPath = ({ id, surfaceId }: { id: string; surfaceId: string }) =>
  `/v1/products/${id}/surfaces/${surfaceId}/mcp`;
