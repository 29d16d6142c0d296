import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { BearerAuth } from '../steps/http-auth-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

const Patterns = z.array(z.string().min(1).max(200)).max(50);

const Config = z
  .strictObject({
    repo: Template.min(1).optional().meta({ description: '`owner/name`, or an address on github.com' }),
    repository: Template.min(1).optional().meta({ description: 'The same as repo' }),
    path: Template.optional().meta({
      description: 'A file, whose text is the output, or a directory; the whole repository without it',
    }),
    branch: Template.optional().meta({
      description: 'A branch, tag or commit; the default branch without it',
    }),
    includePatterns: Patterns.optional().meta({
      description:
        'Globs of the files of a directory to take, seen from the root of the repository; one without a slash is of a name anywhere',
    }),
    excludePatterns: Patterns.optional().meta({
      description: 'Globs of the files and directories to leave out',
    }),
    compress: z.boolean().optional().meta({ description: 'Leaves out blank lines, and spaces at line ends' }),
    style: z
      .enum(['plain', 'markdown', 'xml'])
      .optional()
      .meta({ description: 'How the files of a directory are set apart; markdown without it' }),
    auth: BearerAuth.optional().meta({
      description: 'A token of GitHub: for private repositories, and for more than 60 requests in an hour',
    }),
    ...commonConfig,
  })
  .refine(({ repo, repository }) => (repo === undefined) !== (repository === undefined), {
    path: ['repo'],
    message: 'Give either repo or repository',
  });

export const fetchGithubStep = defineStepType({
  type: 'fetch-github',
  summary: 'Read a file or the files of a GitHub repository as text',
  config: Config,
  output: z.string(),
  effects: true,
  takesSecrets: true,
  permission: null,
});
