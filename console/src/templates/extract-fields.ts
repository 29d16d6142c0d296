import type { StarterTemplate } from './template.ts';

export const extractFields: StarterTemplate = {
  id: 'extract-fields',
  name: 'Extract fields from text',
  summary: 'Reads supplier, number, date and total out of the text of an invoice, and checks the total.',
  opens: 'flow',
  needs: ['model'],
  records: [
    {
      type: 'invoice-text',
      items: [
        {
          name: 'invoice-b.txt',
          metadata: {
            text: 'Harbour Supplies Ltd. Invoice HS-2291 of 3 November 2026. 4 ropes at 30.00. Total EUR 120.00',
          },
        },
        {
          name: 'invoice-a.txt',
          metadata: {
            text: 'Northwind Paper. Invoice no. 2026-118, 12 October 2026. 10 boxes at 24.50. Amount due: USD 245.00',
          },
        },
      ],
    },
  ],
  flow: {
    name: 'Extract invoice fields',
    description: 'Structured fields from the text of an invoice.',
    steps: [
      {
        type: 'prompt',
        name: 'Extract the fields',
        config: {
          model: 'default',
          systemPrompt:
            'You extract fields from invoices. Use only what the text says; leave out what is missing.',
          userPrompt: '{{ _record.metadata.text }}',
          responseFormat: {
            type: 'json',
            schema: {
              type: 'object',
              required: ['supplier', 'number', 'total', 'currency'],
              properties: {
                supplier: { type: 'string' },
                number: { type: 'string' },
                date: { type: 'string', description: 'YYYY-MM-DD' },
                total: { type: 'number' },
                currency: { type: 'string', description: 'ISO 4217 code' },
              },
            },
          },
          outputVariable: 'invoice',
        },
      },
      {
        type: 'transform-data',
        name: 'Check the total',
        config: {
          script: 'return { ...invoice, needsReview: !(Number(invoice.total) > 0) }',
          outputVariable: 'checked',
        },
      },
      {
        type: 'update-record',
        name: 'Store the fields',
        config: { id: '{{ _record.id }}', updates: { invoice: '{{ checked }}' }, outputVariable: 'stored' },
      },
    ],
  },
};
