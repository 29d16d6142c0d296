import type { StarterTemplate } from './template.ts';

export const dailyDigest: StarterTemplate = {
  id: 'daily-digest',
  name: 'Daily digest by schedule',
  summary: 'Each weekday at 8:00, collects the newest notes and writes a digest of them into a record.',
  opens: 'flow',
  needs: ['model'],
  records: [
    {
      type: 'digest-note',
      items: [
        {
          name: 'Release 4.2',
          metadata: { team: 'Product', text: 'Release 4.2 is out. Exports are faster.' },
        },
        {
          name: 'Outage',
          metadata: { team: 'Operations', text: 'Sign-in was down for 12 minutes at 9:40.' },
        },
        { name: 'New customer', metadata: { team: 'Sales', text: 'Harbour Supplies signed for two years.' } },
      ],
    },
    { type: 'digest', items: [{ name: 'Team digest', metadata: { readers: 'the whole team' } }] },
  ],
  flow: {
    name: 'Daily digest',
    description: 'A digest of the newest notes.',
    steps: [
      {
        type: 'tool-call',
        name: 'Find the newest notes',
        config: {
          toolId: 'builtin:record-search',
          parameters: { type: '%digest-note%', limit: 20 },
          outputVariable: 'notes',
        },
      },
      {
        type: 'prompt',
        name: 'Write the digest',
        config: {
          model: 'default',
          systemPrompt:
            'You write a short morning digest: one line for each topic, the most important first.',
          userPrompt:
            'For {{ _record.metadata.readers }}.\n\n{% for note in notes.records %}- {{ note.metadata.team }}: {{ note.metadata.text }}\n{% endfor %}',
          outputVariable: 'digest',
        },
      },
      {
        type: 'update-record',
        name: 'Store the digest',
        config: { id: '{{ _record.id }}', updates: { digest: '{{ digest }}' }, outputVariable: 'stored' },
      },
    ],
  },
  product: {
    name: 'Daily digest',
    description: 'Runs the daily digest by the clock.',
    capability: { capabilityName: 'Daily digest', capabilityDescription: 'A digest of the newest notes' },
    schedule: { surface: 'Mornings', cron: '0 8 * * 1-5', words: 'Runs on weekdays at 8:00' },
  },
};
