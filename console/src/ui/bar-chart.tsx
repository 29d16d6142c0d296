interface Bar {
  label: string;
  value: number;
  /** The value as people read it. */
  text: string;
}

const height = 120;
const width = 24;

/** Bars side by side. A list says the same to those who do not see them. */
export function BarChart({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const top = Math.max(...bars.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <figure className="bar-chart">
      <svg viewBox={`0 0 ${bars.length * width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map(({ label: name, value, text }, index) => (
          <rect
            key={name}
            x={index * width + 2}
            width={width - 4}
            y={height - (value / top) * height}
            height={(value / top) * height}
            rx="2"
          >
            <title>{`${name}: ${text}`}</title>
          </rect>
        ))}
      </svg>
      <figcaption>
        <span>{bars[0]?.label}</span>
        <span>{label}</span>
        <span>{bars.at(-1)?.label}</span>
      </figcaption>
      <ul className="visually-hidden">
        {bars.map((bar) => (
          <li key={bar.label}>{`${bar.label}: ${bar.text}`}</li>
        ))}
      </ul>
    </figure>
  );
}
