import * as z from 'zod';
import type { NewId } from '../../../core/ids.ts';
import type { AgentConfig } from '../../../domain/agents/config/agent-config.ts';
import type { RunnableTool } from '../call-tool.ts';
import { defineAgentTool } from './agent-tool.ts';

type Types = NonNullable<AgentConfig['artifacts']>['types'];

const content = z.string().min(1).max(100_000).meta({ description: 'The whole document' });

/** The tools of an agent that makes documents beside its answer. The readers of the run get them as events. */
export const createArtifactTools = (types: Types, newId: NewId): RunnableTool[] => [
  defineAgentTool({
    name: 'create_artifact',
    description:
      'Shows the user a document beside your answer: a longer text, a table or a component. Mention it in your answer instead of repeating it.',
    parameters: z.strictObject({
      type: z.enum(types).meta({ description: 'markdown: a text. component: JSX of one React component' }),
      title: z.string().min(1).max(200).meta({ description: 'The title that the user sees' }),
      content,
    }),
    type: 'artifact',
    repeatable: true,
    perform: async ({ type, title, content }) => {
      const id = newId('art');
      return {
        output: { artifactId: id },
        artifact: { id, isNew: true, artifactType: type, title, content },
      };
    },
  }),
  defineAgentTool({
    name: 'update_artifact',
    description: 'Replaces the content of a document that you made.',
    parameters: z.strictObject({
      artifactId: z
        .string()
        .max(64)
        .regex(/^art_[0-9a-z]{26}$/, 'Expected the artifactId of a document')
        .meta({ description: 'The artifactId that create_artifact returned' }),
      content,
    }),
    type: 'artifact',
    repeatable: true,
    perform: async ({ artifactId: id, content }) => ({
      output: { artifactId: id },
      artifact: { id, isNew: false, content },
    }),
  }),
];
