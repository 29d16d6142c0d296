import * as fc from 'fast-check';
import type { Step } from '../../../console/src/screens/flows/steps/steps.ts';

/** What a step is, with the lists that it holds. */
interface Shape {
  type: 'template' | 'conditional' | 'parallel' | 'map' | 'loop';
  lists: Shape[][];
}

const listCounts = { conditional: [2, 2], parallel: [2, 4], map: [1, 1], loop: [1, 1] } as const;

function shapesOf(depth: number): fc.Arbitrary<Shape[]> {
  const plain: fc.Arbitrary<Shape> = fc.constant({ type: 'template', lists: [] });
  if (depth === 0) return fc.array(plain, { maxLength: 4 });
  const holding = Object.entries(listCounts).map(([type, [minLength, maxLength]]) => {
    const lists = fc.array(shapesOf(depth - 1), { minLength, maxLength });
    return lists.map((inner): Shape => ({ type: type as keyof typeof listCounts, lists: inner }));
  });
  return fc.array(fc.oneof({ weight: 2, arbitrary: plain }, ...holding), { maxLength: 3 });
}

function stepsOf(list: readonly Shape[], prefix = 's'): Step[] {
  return list.map(({ type, lists }, at) => {
    const id = `${prefix}${at}`;
    const [first = [], second = []] = lists.map((inner, index) => stepsOf(inner, `${id}-${index}-`));
    const branches = lists.map((inner, index) => ({
      name: `b${index}`,
      steps: stepsOf(inner, `${id}-${index}-`),
    }));
    const configs = {
      template: {},
      conditional: { condition: 'true', trueSteps: first, falseSteps: second },
      parallel: { branches },
      map: { items: '[]', steps: first },
      loop: { while: 'false', maxIterations: 1, steps: first },
    };
    return { id, type, name: id, config: { ...configs[type], outputVariable: id } };
  });
}

/** Flows whose steps hold others, some levels deep. */
export const nestedFlows = shapesOf(3).map((list) => stepsOf(list));
