import * as z from 'zod';
import type { ProtocolErrors } from '../../shared/platform/http/responses/http-errors.ts';

const Id = z.union([z.string(), z.number()]);
/** A number of any size. */
const RequestId = z
  .custom<string | number | bigint>((value) => ['string', 'number', 'bigint'].includes(typeof value))
  .meta({ anyOf: [{ type: 'string' }, { type: 'number' }] });

/** A request, a notification or a response of JSON-RPC. */
export const JsonRpcMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: RequestId.optional(),
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

/** The errors with which the library of the protocol refuses a message. */
export const mcpErrors = {
  statuses: {
    400: 'As a JSON-RPC error: the protocol refuses the message',
    404: 'As a JSON-RPC error: the protocol of the message has no such method',
    406: 'As a JSON-RPC error: the header `Accept` names not both of `application/json` and `text/event-stream`',
  },
  schema: z
    .object({
      jsonrpc: z.literal('2.0'),
      id: Id.nullable().optional().meta({ description: 'null or missing if the message was not read' }),
      error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }),
    })
    .meta({
      id: 'JsonRpcError',
      examples: [{ jsonrpc: '2.0', id: 1, error: { code: -32_601, message: 'Method not found' } }],
    }),
} satisfies ProtocolErrors;

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
