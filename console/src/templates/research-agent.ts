import type { StarterTemplate } from './template.ts';

export const researchAgent: StarterTemplate = {
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
