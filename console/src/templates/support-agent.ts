import type { StarterTemplate } from './template.ts';

export const supportAgent: StarterTemplate = {
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
