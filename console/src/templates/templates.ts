import { dailyDigest } from './daily-digest.ts';
import { extractFields } from './extract-fields.ts';
import { sampleTickets } from './sample-tickets.ts';
import { summariseDocuments } from './summarise-documents.ts';
import type { StarterTemplate } from './template.ts';
import { translateTexts } from './translate-texts.ts';

const classifyRecords: StarterTemplate = {
  id: 'classify-records',
  name: 'Classify records',
  summary: 'Gives each support ticket a category, a priority and a reason, and stores them in the record.',
  opens: 'flow',
  needs: ['model'],
  records: [sampleTickets],
  flow: {
    name: 'Classify support tickets',
    description: 'Category, priority and reason for each ticket.',
    steps: [
      {
        type: 'prompt',
        name: 'Classify the ticket',
        config: {
          model: 'default',
          systemPrompt: 'You sort support tickets. Choose high only if somebody cannot work.',
          userPrompt: 'Subject: {{ _record.metadata.subject }}\n\n{{ _record.metadata.text }}',
          responseFormat: {
            type: 'json',
            schema: {
              type: 'object',
              required: ['category', 'priority', 'reason'],
              properties: {
                category: { type: 'string', enum: ['billing', 'bug', 'delivery', 'feature', 'other'] },
                priority: { type: 'string', enum: ['low', 'normal', 'high'] },
                reason: { type: 'string', description: 'One sentence' },
              },
            },
          },
          outputVariable: 'label',
        },
      },
      {
        type: 'update-record',
        name: 'Store the result',
        config: {
          id: '{{ _record.id }}',
          updates: {
            category: '{{ label.category }}',
            priority: '{{ label.priority }}',
            reason: '{{ label.reason }}',
          },
          outputVariable: 'stored',
        },
      },
    ],
  },
};

const enrichFromUrl: StarterTemplate = {
  id: 'enrich-from-url',
  name: 'Enrich from a URL',
  summary: 'Fetches the website of each company, and stores what the company does and for whom.',
  opens: 'flow',
  needs: ['model'],
  records: [
    {
      type: 'company-to-enrich',
      items: [
        { name: 'Python Software Foundation', metadata: { url: 'https://www.python.org/psf-landing/' } },
        { name: 'Example', metadata: { url: 'https://example.com/' } },
      ],
    },
  ],
  flow: {
    name: 'Enrich companies from their website',
    description: 'A description and an audience for each company.',
    steps: [
      {
        type: 'fetch-url',
        name: 'Fetch the website',
        config: { http: { url: '{{ _record.metadata.url }}', timeout: 20_000 }, outputVariable: 'page' },
      },
      {
        type: 'prompt',
        name: 'Describe the company',
        config: {
          model: 'default',
          systemPrompt: 'You describe companies for a sales team. Use only what the page says.',
          userPrompt: 'Company: {{ _record.name }}\n\nIts page:\n{{ page | truncate: 12000 }}',
          responseFormat: {
            type: 'json',
            schema: {
              type: 'object',
              required: ['description', 'audience'],
              properties: {
                description: { type: 'string', description: 'One sentence' },
                audience: { type: 'string' },
              },
            },
          },
          outputVariable: 'profile',
        },
      },
      {
        type: 'update-record',
        name: 'Store the profile',
        config: {
          id: '{{ _record.id }}',
          updates: { description: '{{ profile.description }}', audience: '{{ profile.audience }}' },
          outputVariable: 'stored',
        },
      },
    ],
  },
};

const researchAgent: StarterTemplate = {
  id: 'research-agent',
  name: 'Research agent with search',
  summary: 'Searches the web, reads the pages that matter, and answers with its sources.',
  opens: 'agent',
  needs: ['model', 'web-search'],
  records: [],
  agent: {
    name: 'Research agent',
    description: 'Answers questions from the web, with sources.',
    ask: 'What changed in the last two versions of the HTTP specification? Name your sources.',
    config: {
      model: 'default',
      systemPrompt: `You research questions on the web.

1. Search with two or three different queries.
2. Read the pages that look most reliable. Prefer primary sources.
3. Answer in short paragraphs. After each claim, name its source as a link.

Say so if the sources disagree, or if you found nothing.`,
      loopConfig: { maxTurns: 12 },
      temporal: { groundNow: true },
      tools: { toolIds: ['builtin:web-search', 'builtin:fetch-url'], maxToolCalls: 20 },
    },
  },
};

const supportAgent: StarterTemplate = {
  id: 'support-agent',
  name: 'Support agent with knowledge and approval',
  summary:
    'Answers customers from your articles. Before it stores a refund request, a person approves the call.',
  opens: 'agent',
  needs: ['model'],
  records: [
    {
      type: 'help-article',
      items: [
        {
          name: 'Refunds',
          metadata: { text: 'Orders can be refunded within 30 days. A person checks each refund request.' },
        },
        {
          name: 'Delivery times',
          metadata: { text: 'Orders arrive within three working days in Europe, elsewhere within ten.' },
        },
        {
          name: 'Changing an address',
          metadata: { text: 'Customers can change the address until the order is packed, under My orders.' },
        },
      ],
    },
  ],
  agent: {
    name: 'Support agent',
    description: 'Answers from help articles; refund requests need an approval.',
    ask: 'My order 5512 never arrived. Can I get my money back?',
    config: {
      model: 'default',
      systemPrompt: `You answer customers of a shop.

- Look for help articles with record-search: type "%help-article%". Answer only from what they say.
- If a customer wants a refund, store a request with record-upsert: type "refund-request", the order number as its name, and the reason in its metadata. A person approves the call first.
- Be brief and friendly.`,
      loopConfig: { maxTurns: 8 },
      tools: {
        toolIds: ['builtin:record-search', 'builtin:record-upsert'],
        approval: { require: ['record-upsert'] },
      },
    },
  },
};

const apiProduct: StarterTemplate = {
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

/** In the order of the gallery. */
export const templates: readonly StarterTemplate[] = [
  classifyRecords,
  extractFields,
  enrichFromUrl,
  summariseDocuments,
  translateTexts,
  researchAgent,
  supportAgent,
  dailyDigest,
  apiProduct,
];
