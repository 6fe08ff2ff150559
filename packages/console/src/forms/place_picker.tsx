import { useState } from 'react';
import type { PlaceCanvasProps } from '../map/place_canvas.tsx';
import { hasWebGl } from '../map/web_gl.ts';
import { Button } from '../parts/button.tsx';
import { lazyComponent } from '../parts/lazy_component.tsx';
import { useTexts } from '../preferences_and_words.tsx';
import { PLACE_TEXTS } from '../translations/place.ts';

const PlaceCanvas = lazyComponent(
  async () => (await import('../map/place_canvas.tsx')).PlaceCanvas,
  <div className="map-frame" />,
);

/** Opens a map on which a place is chosen, beside a field in which it can be typed. Without WebGL there is only the field. */
export function PlacePicker({
  isOpenAtFirst = false,
  ...props
}: Omit<PlaceCanvasProps, 'onFailure'> & { isOpenAtFirst?: boolean }) {
  const texts = useTexts(PLACE_TEXTS);
  const [canDraw, setCanDraw] = useState(hasWebGl);
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  if (!canDraw) return null;
  return (
    <div className="place-picker">
      <Button className="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? texts.close : texts.open}
      </Button>
      {isOpen && <PlaceCanvas {...props} onFailure={() => setCanDraw(false)} />}
    </div>
  );
}
