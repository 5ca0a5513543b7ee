// The piece of an answer that every frame of every wire carries.

export const CHUNK = "Here are three offers near you that match what you asked for";
