import * as z from 'zod';

const Id = z.union([z.string(), z.number()]).nullable();

/** A request of JSON-RPC. The protocol answers what is wrong with it. */
export const A2aRequestBody = z
  .looseObject({ jsonrpc: z.unknown(), id: z.unknown(), method: z.unknown(), params: z.unknown() })
  .partial()
  .meta({
    id: 'A2aRequest',
    examples: [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } },
      },
    ],
  });

const task = {
  id: 'task_01k9m4v7d3x8qz5w2r6t0y1hbn',
  contextId: 'task_01k9m4v7d3x8qz5w2r6t0y1hbn',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-11-23T10:00:00.000Z' },
  artifacts: [{ artifactId: 'answer', name: 'answer', parts: [{ text: 'Hello Ada' }] }],
};

export const A2aResponse = z
  .looseObject({ jsonrpc: z.literal('2.0'), id: Id.optional() })
  .meta({ id: 'A2aResponse', examples: [{ jsonrpc: '2.0', id: 1, result: { task } }] });

/** A task, as the protocol has it. */
export const A2aTaskResponse = z
  .looseObject({ id: z.string(), contextId: z.string(), status: z.looseObject({ state: z.string() }) })
  .meta({ id: 'A2aTask', examples: [task] });

export const A2aSentTask = z
  .looseObject({ task: A2aTaskResponse })
  .meta({ id: 'A2aSentTask', examples: [{ task }] });

export const A2aTaskList = z
  .looseObject({
    tasks: z.array(A2aTaskResponse),
    nextPageToken: z.string(),
    pageSize: z.int(),
    totalSize: z.int(),
  })
  .meta({
    id: 'A2aTaskList',
    examples: [{ tasks: [task], nextPageToken: '', pageSize: 50, totalSize: 1 }],
  });

/** A message with its configuration. The protocol answers what is wrong with it. */
export const SendMessageBody = z
  .looseObject({ message: z.unknown(), configuration: z.unknown() })
  .partial()
  .meta({
    id: 'A2aSendMessage',
    examples: [{ message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'Hello' }] } }],
  });

const Members = z.record(z.string(), z.unknown());

/** A card of A2A 1.0 or 0.3. */
export const A2aCard = z
  .looseObject({
    name: z.string(),
    description: z.string(),
    version: z.string(),
    url: z.url().optional().meta({ description: 'In a card of A2A 0.3' }),
    protocolVersion: z.string().optional().meta({ description: 'In a card of A2A 0.3' }),
    authentication: Members.optional().meta({ description: 'In a card of A2A 0.3' }),
    supportedInterfaces: z.array(Members),
    capabilities: Members,
    defaultInputModes: z.array(z.string()),
    defaultOutputModes: z.array(z.string()),
    skills: z.array(Members),
    signatures: z
      .array(z.object({ protected: z.string(), signature: z.string() }))
      .optional()
      .meta({ description: 'Of a card of A2A 1.0: JWS over the card in the form of RFC 8785' }),
  })
  .meta({
    id: 'A2aCard',
    examples: [
      {
        name: 'Greeter',
        description: 'Greets people',
        version: '3',
        supportedInterfaces: [
          {
            url: 'https://api.example.com/v1/products/product_01/surfaces/surface_01/a2a',
            protocolBinding: 'JSONRPC',
            protocolVersion: '1.0',
          },
        ],
        capabilities: { streaming: true, pushNotifications: true },
        defaultInputModes: ['text/plain'],
        defaultOutputModes: ['text/plain'],
        skills: [{ id: 'greet', name: 'Greet', description: 'Greets a person', tags: ['flow'] }],
      },
    ],
  });

export const A2aKeys = z.object({ keys: z.array(z.looseObject({ kty: z.string(), kid: z.string() })) }).meta({
  id: 'A2aKeys',
  examples: [
    {
      keys: [
        { kty: 'EC', crv: 'P-256', x: 'f83OJ3D2…', y: 'x_FEzRu9…', kid: 'card-1', alg: 'ES256', use: 'sig' },
      ],
    },
  ],
});
