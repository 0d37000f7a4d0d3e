// Short tones for what the kitchen must not miss. Browsers play nothing before somebody has touched the page, so the
// choice is remembered and the first touch after a reload wakes the sound up.
import { useSyncExternalStore } from 'react';

export type SoundChoice = 'unasked' | 'on' | 'off';
export type Tone = 'new' | 'canceled' | 'reminder';

const KEY = 'waybill.sound';
const listeners = new Set<() => void>();
let context: AudioContext | undefined;

/** Pitch in hertz and when it starts, in seconds. */
const TONES: Record<Tone, readonly { hertz: number; at: number }[]> = {
  new: [
    { hertz: 660, at: 0 },
    { hertz: 880, at: 0.14 },
  ],
  canceled: [
    { hertz: 520, at: 0 },
    { hertz: 390, at: 0.18 },
    { hertz: 290, at: 0.36 },
  ],
  reminder: [
    { hertz: 880, at: 0 },
    { hertz: 880, at: 0.2 },
    { hertz: 880, at: 0.4 },
  ],
};
const LENGTH_SECONDS = 0.16;
const LOUDNESS = 0.25;

function readChoice(): SoundChoice {
  const stored = localStorage.getItem(KEY);
  return stored === 'on' || stored === 'off' ? stored : 'unasked';
}

export function chooseSound(choice: 'on' | 'off'): void {
  localStorage.setItem(KEY, choice);
  if (choice === 'on') {
    wake();
    playTone('new');
  }
  tellListeners();
}

function tellListeners(): void {
  for (const listener of listeners) listener();
}

export function useSoundChoice(): SoundChoice {
  return useSyncExternalStore(subscribe, readChoice);
}

/** Turned on, but nobody has touched the page since it was opened: until then the browser plays nothing. */
export function useIsSoundAsleep(): boolean {
  return useSyncExternalStore(subscribe, () => readChoice() === 'on' && context?.state !== 'running');
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function wake(): void {
  if (context === undefined) {
    context = new AudioContext();
    context.addEventListener('statechange', tellListeners);
  }
  void context.resume();
}

/** What browsers count as a touch: of a finger, the end of it rather than the beginning. */
const TOUCHES = ['pointerdown', 'pointerup', 'touchend', 'click', 'keydown'] as const;

/** Until the page goes, each touch makes sure that sound can be heard. An installed app needs none. */
export function keepSoundAwake(): () => void {
  const wakeIfWanted = (): void => {
    if (readChoice() === 'on') wake();
  };
  wakeIfWanted();
  for (const touch of TOUCHES) document.addEventListener(touch, wakeIfWanted);
  return () => {
    for (const touch of TOUCHES) document.removeEventListener(touch, wakeIfWanted);
  };
}

export function playTone(tone: Tone): void {
  if (readChoice() !== 'on' || context?.state !== 'running') return;
  for (const { hertz, at } of TONES[tone]) playNote(context, { hertz, at: context.currentTime + at });
}

function playNote(audio: AudioContext, note: { hertz: number; at: number }): void {
  const oscillator = audio.createOscillator();
  const volume = audio.createGain();
  oscillator.frequency.value = note.hertz;
  // Swells and fades, because a tone that is cut off clicks.
  volume.gain.setValueAtTime(0, note.at);
  volume.gain.linearRampToValueAtTime(LOUDNESS, note.at + 0.02);
  volume.gain.exponentialRampToValueAtTime(0.001, note.at + LENGTH_SECONDS);
  oscillator.connect(volume).connect(audio.destination);
  oscillator.start(note.at);
  oscillator.stop(note.at + LENGTH_SECONDS);
}
