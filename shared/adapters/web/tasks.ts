import { sandboxTask, type TaskOf } from '../sandbox/sandbox.ts';
import type { Page } from './page.ts';

export const readPage = sandboxTask<{ html: string; address: string }, Page>('readPage');
export const xmlProblem: TaskOf<typeof import('./xml.ts').xmlProblem> = sandboxTask('xmlProblem');
export const readRobots: TaskOf<typeof import('./robots-rules.ts').readRobots> = sandboxTask('readRobots');
export const packRepository: TaskOf<typeof import('./pack-repository.ts').packRepository> =
  sandboxTask('packRepository');
