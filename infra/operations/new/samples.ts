export interface EndpointSample {
  body: object;
  status: number;
  /** Where the response has the id. */
  id: string;
}

/** A request that creates an item, by group. */
export const samples: Readonly<Record<string, EndpointSample>> = {
  flows: {
    body: { name: 'A flow', flowSteps: [{ type: 'template', name: 'Hello', config: { template: 'Hello' } }] },
    status: 201,
    id: 'id',
  },
  records: { body: { name: 'Oslo', type: 'city', metadata: {} }, status: 201, id: 'id' },
  agents: { body: { name: 'An agent', config: { model: 'default' } }, status: 201, id: 'id' },
  products: { body: { name: 'A product' }, status: 201, id: 'id' },
  conversations: { body: { title: 'A conversation' }, status: 201, id: 'id' },
  tools: {
    body: {
      name: 'a_tool',
      description: 'Adds one',
      toolType: 'custom',
      parametersSchema: { type: 'object', properties: {} },
      config: { code: 'return 1' },
    },
    status: 200,
    id: 'id',
  },
};
