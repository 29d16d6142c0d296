import * as z from 'zod';

const Id = z.union([z.string(), z.number()]);

/** A request, a notification or a response of JSON-RPC. */
export const JsonRpcMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: Id.optional(),
    method: z.string().optional(),
    params: z.looseObject({}).optional(),
  })
  .meta({
    id: 'JsonRpcMessage',
    examples: [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'greet', arguments: { person: 'Ada' } },
      },
    ],
  });

export const JsonRpcResponse = z
  .looseObject({ jsonrpc: z.literal('2.0'), id: Id.nullable().optional() })
  .meta({
    id: 'JsonRpcResponse',
    examples: [{ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'Hello Ada' }] } }],
  });

export const McpInfo = z
  .object({
    mcp: z.object({
      endpoint: z.url(),
      protocolVersion: z.string(),
      manifest: z.url().meta({ description: 'The address of this document' }),
      authentication: z.object({ type: z.string(), header: z.string(), format: z.string() }),
    }),
    product: z.object({ id: z.string(), name: z.string(), description: z.string().nullable() }),
  })
  .meta({
    id: 'McpInfo',
    examples: [
      {
        mcp: {
          endpoint: 'https://api.example.com/v1/products/product_01/surfaces/surface_01/mcp',
          manifest: 'https://api.example.com/v1/products/product_01/surfaces/surface_01/mcp/info',
          protocolVersion: '2026-07-28',
          authentication: { type: 'bearer', header: 'Authorization', format: 'Bearer <key>' },
        },
        product: { id: 'product_01', name: 'Greeter', description: null },
      },
    ],
  });

export const ProtectedResource = z
  .object({
    resource: z.url(),
    authorization_servers: z.array(z.url()),
    bearer_methods_supported: z.array(z.string()),
  })
  .meta({
    id: 'ProtectedResource',
    examples: [
      {
        resource: 'https://api.example.com/v1/products/product_01/surfaces/surface_01/mcp',
        authorization_servers: ['https://issuer.example.com'],
        bearer_methods_supported: ['header'],
      },
    ],
  });
