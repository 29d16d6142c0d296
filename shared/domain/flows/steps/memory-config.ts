import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { outputVariable } from './common-config.ts';
import { Template } from './template-text.ts';

export const memoryConfig = {
  profileTemplate: Template.min(1).optional().meta({
    description:
      'The name of the profile whose memory it is, of up to 255 characters. Default: `{{_user.id}}`, the user of the run, who is the visitor in a chat, and the key on another surface',
  }),
  sessionId: Template.min(1).optional().meta({
    description: 'A session of the profile, such as a conversation. Default: all sessions',
  }),
  outputVariable,
};

export const MemoryModel = nameUpTo(255).optional().meta({
  description:
    'The model that reads the memories: the id of a model config, `default`, a model of the catalog, or `<provider>/<modelId>`. Default: `default`',
});

export const defaultValue = z.unknown().optional().meta({
  description: 'The output if there is no memory. Default: an empty text',
});
