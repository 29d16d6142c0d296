import { editorTexts } from '../../../texts/flow-editor.ts';
import { dollars } from '../../../ui/values/format.ts';
import type { StepState } from '../data/step-states.ts';
import type { Step } from '../steps/steps.ts';
import type { GraphLayout } from './layout.ts';

interface Props {
  layout: GraphLayout;
  view: { top: number; bottom: number };
  states: ReadonlyMap<string, StepState>;
}

/** The lines between the steps with their notes: on which condition a step runs, and what the one before it cost. */
export const GraphLines = ({ layout, view, states }: Props) => {
  const isSeen = ({ y }: { y: number }) => y > view.top - 400 && y < view.bottom + 400;
  return (
    <>
      <svg width={layout.width} height={layout.height} className="graph-lines" aria-hidden="true">
        <defs>
          <marker
            id="graph-arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M1 1L7 4L1 7" />
          </marker>
        </defs>
        {layout.frames.map(({ key, ...place }) => (
          <rect key={key} {...place} rx="12" />
        ))}
        {[...layout.forks, ...layout.lines].filter(isSeen).map(({ key, d }) => (
          <path key={key} d={d} />
        ))}
        {layout.loops.map(({ key, d }) => (
          <path key={key} d={d} markerEnd="url(#graph-arrow)" />
        ))}
      </svg>
      {layout.labels.filter(isSeen).map(({ key, x, y, text }) => (
        <Note key={key} x={x} y={y} className="graph-branch">
          {text}
        </Note>
      ))}
      {layout.lines.filter(isSeen).map(({ key, x, y, from, to }) => {
        const cost = from && states.get(from.id)?.cost;
        const condition = conditionOf(to);
        return (
          (cost || condition) && (
            <Note key={key} x={x + 18} y={y - 10}>
              {[cost && dollars(cost), condition && editorTexts.ifCondition(condition)]
                .filter(Boolean)
                .join(' · ')}
            </Note>
          )
        );
      })}
    </>
  );
};

const conditionOf = (step: Step | undefined) =>
  typeof step?.when === 'string' && step.when !== '' ? step.when : undefined;

const Note = ({
  x,
  y,
  className = '',
  children,
}: {
  x: number;
  y: number;
  className?: string;
  children: string;
}) => (
  <span
    className={`graph-note ${className}`}
    title={children}
    style={{ transform: `translate(${x}px, ${y}px)` }}
  >
    {children}
  </span>
);
