import type { StarterTemplate } from './template.ts';

export const apiProduct: StarterTemplate = {
  id: 'api-product',
  name: 'API product',
  summary: 'A flow as an API of your own: your program posts a review and gets its sentiment and topics.',
  opens: 'product',
  needs: ['model'],
  records: [],
  flow: {
    name: 'Analyse a review',
    description: 'Sentiment and topics of a review.',
    steps: [
      {
        type: 'prompt',
        name: 'Analyse',
        config: {
          model: 'default',
          systemPrompt: 'You analyse product reviews.',
          userPrompt: '{{ review }}',
          responseFormat: {
            type: 'json',
            schema: {
              type: 'object',
              required: ['sentiment', 'topics'],
              properties: {
                sentiment: { type: 'string', enum: ['positive', 'neutral', 'negative'] },
                topics: { type: 'array', items: { type: 'string' } },
              },
            },
          },
        },
      },
    ],
  },
  product: {
    name: 'Review API',
    description: 'Analyses reviews over HTTP.',
    capability: {
      capabilityName: 'Analyse review',
      capabilityDescription: 'Returns the sentiment and the topics of a review',
    },
    api: { surface: 'API', slug: 'analyse-review' },
  },
};
