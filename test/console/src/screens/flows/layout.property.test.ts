import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { layOutSteps, nextInDirection } from '../../../../../console/src/screens/flows/graph/layout.ts';
import { nodeSize } from '../../../../../console/src/screens/flows/graph/sizes.ts';
import { eachStep, listAt, withList } from '../../../../../console/src/screens/flows/steps/places.ts';
import type { Step } from '../../../../../console/src/screens/flows/steps/steps.ts';
import { nestedFlows as flows } from '../../../../support/flows/nested-flows.ts';

test('each step has one place in the graph, inside of it, and none lies over another', () => {
  fc.assert(
    fc.property(flows, (steps) => {
      const { nodes, width, height } = layOutSteps(steps);
      const ids = [...eachStep(steps)].map(({ step }) => step.id);
      expect(nodes.map(({ step }) => step.id).toSorted()).toEqual(ids.toSorted());
      for (const { x, y } of nodes) {
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + nodeSize.width).toBeLessThanOrEqual(width);
        expect(y + nodeSize.height).toBeLessThanOrEqual(height);
      }
      for (const [index, one] of nodes.entries())
        for (const other of nodes.slice(index + 1)) {
          const isApart =
            Math.abs(one.x - other.x) >= nodeSize.width || Math.abs(one.y - other.y) >= nodeSize.height;
          expect(isApart, `${one.step.id} and ${other.step.id}`).toBe(true);
        }
    }),
  );
});

test('a line leads to every place where a step can be inserted, and inserts it there', () => {
  fc.assert(
    fc.property(flows, fc.nat(), (steps, any) => {
      const { lines } = layOutSteps(steps);
      const line = lines[any % lines.length];
      if (!line) throw new Error('A flow without steps has a line too');
      const { within, at } = line.place;
      const added: Step = { id: 'added', type: 'template', name: 'added' };
      const next = withList(steps, within, listAt(steps, within).toSpliced(at, 0, added));
      const found = [...eachStep(next)].find(({ step }) => step === added);
      expect(found).toMatchObject({ within, at });
      expect(found?.list[at - 1]).toEqual(line.from);
      expect(found?.list[at + 1]).toEqual(line.to);
      expect(withList(next, within, listAt(steps, within))).toEqual(steps);
    }),
  );
});

test('the arrow keys reach every step from every other one', () => {
  fc.assert(
    fc.property(flows, (steps) => {
      const layout = layOutSteps(steps);
      const [start] = layout.nodes;
      if (!start) return;
      const seen = new Set([start.step.id]);
      const open = [start.step.id];
      for (let id = open.pop(); id !== undefined; id = open.pop()) {
        for (const direction of ['up', 'down', 'left', 'right']) {
          const next = nextInDirection(layout, id, direction)?.step.id;
          if (next === undefined || seen.has(next)) continue;
          seen.add(next);
          open.push(next);
        }
      }
      expect(seen.size).toBe(layout.nodes.length);
    }),
  );
});
