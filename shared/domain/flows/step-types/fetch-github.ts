import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { BearerAuth } from '../steps/http-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

const Patterns = z.array(z.string().min(1).max(200)).max(50);

const Config = z
  .strictObject({
    repo: Template.min(1).optional().meta({ description: '`owner/name`, or a URL on github.com' }),
    repository: Template.min(1).optional().meta({ description: 'An alias of repo' }),
    path: Template.optional().meta({
      description: 'A file, whose text becomes the output, or a directory. Default: the whole repository',
    }),
    branch: Template.optional().meta({
      description: 'A branch, tag or commit. Default: the default branch',
    }),
    includePatterns: Patterns.optional().meta({
      description:
        'Globs of files to include, relative to the root of the repository. A glob without a slash matches names in any directory',
    }),
    excludePatterns: Patterns.optional().meta({
      description: 'Globs of files and directories to exclude',
    }),
    compress: z.boolean().optional().meta({ description: 'Removes blank lines and trailing spaces' }),
    style: z
      .enum(['plain', 'markdown', 'xml'])
      .optional()
      .meta({ description: 'How to separate the files of a directory. Default: markdown' }),
    auth: BearerAuth.optional().meta({
      description: 'A GitHub token: for private repositories, and for more than 60 requests per hour',
    }),
    ...commonConfig,
  })
  .refine(({ repo, repository }) => (repo === undefined) !== (repository === undefined), {
    path: ['repo'],
    message: 'Give either repo or repository',
  });

export const fetchGithubStep = defineStepType({
  type: 'fetch-github',
  summary: 'Read a file or a directory of a GitHub repository as text',
  config: Config,
  output: z.string(),
  effects: true,
  reusable: true,
  takesSecrets: 'credentials',
  callsModels: false,
  permission: null,
});
