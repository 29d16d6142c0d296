import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Within a project, long files and short ones in turn, from both ends: the long ones mostly wait, and the short ones use
 * the processor meanwhile.
 */
export class LongAndShort extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap(inTurn);
  }
}

const inTurn = <T>(items: readonly T[]): T[] =>
  items.map((_, index) => items.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2) as T);
