import { sampleTickets } from './sample-tickets.ts';
import type { StarterTemplate } from './template.ts';

export const classifyRecords: StarterTemplate = {
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
