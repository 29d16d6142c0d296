import type { StarterTemplate } from './template.ts';

export const enrichFromUrl: StarterTemplate = {
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
