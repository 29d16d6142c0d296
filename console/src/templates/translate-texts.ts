import type { StarterTemplate } from './template.ts';

export const translateTexts: StarterTemplate = {
  id: 'translate-texts',
  name: 'Translate and check',
  summary: 'Translates each text, has a second call compare both, and marks what a person should review.',
  opens: 'flow',
  needs: ['model'],
  records: [
    {
      type: 'text-to-translate',
      items: [
        {
          name: 'Payment reminder',
          metadata: { language: 'French', text: 'Your payment is due. Please pay within seven days.' },
        },
        {
          name: 'Welcome mail',
          metadata: { language: 'German', text: 'Welcome aboard! Your account is ready to use.' },
        },
      ],
    },
  ],
  flow: {
    name: 'Translate and check',
    description: 'A translation with a second opinion.',
    steps: [
      {
        type: 'prompt',
        name: 'Translate',
        config: {
          model: 'default',
          systemPrompt: 'Translate into {{ _record.metadata.language }}. Answer with the translation only.',
          userPrompt: '{{ _record.metadata.text }}',
          outputVariable: 'translation',
        },
      },
      {
        type: 'prompt',
        name: 'Compare both',
        config: {
          model: 'default',
          systemPrompt: 'You check translations. Report only what changes the meaning.',
          userPrompt: 'Original:\n{{ _record.metadata.text }}\n\nTranslation:\n{{ translation }}',
          responseFormat: {
            type: 'json',
            schema: {
              type: 'object',
              required: ['isFaithful', 'problems'],
              properties: {
                isFaithful: { type: 'boolean' },
                problems: { type: 'array', items: { type: 'string' } },
              },
            },
          },
          outputVariable: 'check',
        },
      },
      {
        type: 'update-record',
        name: 'Store the translation',
        config: {
          id: '{{ _record.id }}',
          updates: { translation: '{{ translation }}', check: '{{ check }}' },
          outputVariable: 'stored',
        },
      },
    ],
  },
};
