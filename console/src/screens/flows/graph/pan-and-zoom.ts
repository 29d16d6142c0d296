import { type PointerEvent, type RefObject, useEffect, useEffectEvent, useState } from 'react';
import type { GraphLayout } from './layout.ts';

const least = 0.25;
const most = 1.5;
/** How far beyond what is seen is drawn, in px of the graph. */
const beyond = 300;

/** One scrolls the graph, drags its sheet, and zooms with Ctrl and the wheel, by buttons or by pinching. */
export function usePanAndZoom(
  box: RefObject<HTMLDivElement | null>,
  { width, height }: Pick<GraphLayout, 'width' | 'height'>,
  margin: number,
) {
  const [scale, setScale] = useState(1);
  const [view, setView] = useState({ top: -beyond, bottom: 1_500 });
  const zoom = (to: number) => setScale(Math.min(most, Math.max(least, to)));
  const look = useEffectEvent(() => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    const top = scrollTop / scale - beyond;
    const bottom = (scrollTop + clientHeight) / scale + beyond;
    // In steps, so that scrolling draws seldom.
    setView((before) =>
      Math.abs(before.top - top) < beyond / 2 && Math.abs(before.bottom - bottom) < beyond / 2
        ? before
        : { top, bottom },
    );
  });
  const onWheel = useEffectEvent((event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(scale * Math.exp(-event.deltaY / 300));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is seen changes with them
  useEffect(look, [scale, width, height]);
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const observer = new ResizeObserver(look);
    observer.observe(current);
    current.addEventListener('scroll', look, { passive: true });
    current.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      observer.disconnect();
      current.removeEventListener('scroll', look);
      current.removeEventListener('wheel', onWheel);
    };
  }, [box]);
  return {
    scale,
    zoom,
    view,
    fit() {
      const { clientWidth = 1, clientHeight = 1 } = box.current ?? {};
      zoom(Math.min(1, (clientWidth - 2 * margin) / width, (clientHeight - margin) / height));
      box.current?.scrollTo({ top: 0, left: 0 });
    },
    onPointerDown: (event: PointerEvent<HTMLDivElement>) => drag(box.current, event),
  };
}

function drag(
  box: HTMLDivElement | null,
  { target, pointerId, clientX, clientY, pointerType }: PointerEvent,
) {
  const isSheet = target instanceof Element && !target.closest('[role=treeitem], button');
  if (!box || !isSheet || pointerType !== 'mouse') return;
  const { scrollLeft, scrollTop } = box;
  box.setPointerCapture(pointerId);
  const move = (event: globalThis.PointerEvent) =>
    box.scrollTo({
      left: scrollLeft - (event.clientX - clientX),
      top: scrollTop - (event.clientY - clientY),
    });
  box.addEventListener('pointermove', move);
  box.addEventListener('lostpointercapture', () => box.removeEventListener('pointermove', move), {
    once: true,
  });
}
