import type { StarterTemplate } from './template.ts';

export const summariseDocuments: StarterTemplate = {
  id: 'summarise-documents',
  name: 'Summarise documents',
  summary: 'Writes a short summary of each long document. Short ones keep their own text.',
  opens: 'flow',
  needs: ['model'],
  records: [
    {
      type: 'document',
      items: [
        { name: 'Lunch note', metadata: { text: 'The kitchen is closed on Friday.' } },
        {
          name: 'Minutes of the harbour board',
          metadata: {
            text: 'The board met on 4 November with all seven members. The harbour master reported 312 arrivals in October, 14 percent more than a year before, and asked for a second tug from May on. The treasurer said that the reserve covers one season. After a long discussion the board agreed to rent a tug for one season and to decide about a purchase in September. The repair of the north pier begins on 12 January and takes eight weeks; ferries use the south pier meanwhile. The next meeting is on 2 December.',
          },
        },
      ],
    },
  ],
  flow: {
    name: 'Summarise documents',
    description: 'A summary for each document of more than 40 words.',
    steps: [
      {
        type: 'transform-data',
        name: 'Count the words',
        config: { script: 'return _record.metadata.text.split(/\\s+/).length', outputVariable: 'words' },
      },
      {
        type: 'conditional',
        name: 'Is it long?',
        config: {
          condition: 'words > 40',
          trueSteps: [
            {
              type: 'prompt',
              name: 'Summarise',
              config: {
                model: 'default',
                systemPrompt: 'Summarise in at most three bullet points. Keep names, dates and numbers.',
                userPrompt: '{{ _record.name }}\n\n{{ _record.metadata.text }}',
                outputVariable: 'summary',
              },
            },
          ],
          falseSteps: [
            {
              type: 'set-variable',
              name: 'Keep the text',
              config: { variableName: 'summary', value: '{{ _record.metadata.text }}' },
            },
          ],
        },
      },
      {
        type: 'update-record',
        name: 'Store the summary',
        config: {
          id: '{{ _record.id }}',
          updates: { summary: '{{ summary }}', words: '{{ words }}' },
          outputVariable: 'stored',
        },
      },
    ],
  },
};
