// The package's front door. Everything a program needs to write, read, check and fold turns; the schema language itself
// is behind the second door, `@framerail/protocol/schema`.

export type { Clock } from "./clock.js";
export { createTimestamps, formatTimestamp, systemClock } from "./clock.js";
export type {
  ByteSource,
  DecodeNdjsonOptions,
  DecodeSseOptions,
} from "./codec/async-decode.js";
export { decodeNdjson, decodeSse } from "./codec/async-decode.js";
export type { NdjsonDecoder, NdjsonDecoderOptions, NdjsonEnd } from "./codec/ndjson-decode.js";
export { createNdjsonDecoder } from "./codec/ndjson-decode.js";
export { encodeNdjson, NDJSON_HEARTBEAT } from "./codec/ndjson-encode.js";
export { parseJson } from "./codec/parse-json.js";
export type { SseDecoder, SseDecoderOptions, SseEnd, SseEvent } from "./codec/sse-decode.js";
export { createSseDecoder } from "./codec/sse-decode.js";
export type { SseFields } from "./codec/sse-encode.js";
export { encodeSse, encodeSseComment, encodeSseRetry, SSE_DONE, SSE_DONE_FRAME } from "./codec/sse-encode.js";
export type { FrameSse, SseFramingOptions } from "./codec/sse-framing.js";
export { createSseFraming, ndjsonLineOf, splitSseFrames, sseDataStart } from "./codec/sse-framing.js";
export type {
  AgentWrapperCompletion,
  AgentWrapperEvent,
  AgentWrapperEventKind,
  AgentWrapperKind,
} from "./envelope/agent-event.js";
export {
  AGENT_EVENT_KINDS,
  agentCompletionSchema,
  agentEventSchema,
  classifyNativeType,
  SUGGESTED_CHANNELS,
} from "./envelope/agent-event.js";
export { boundAgentEvent, boundCompletion } from "./envelope/bounds.js";
export type { AgentEventProjection } from "./envelope/project-agent-event.js";
export { AGENT_EVENT_PROJECTION } from "./envelope/project-agent-event.js";
export type { RawLine, RawLineSink } from "./envelope/raw-lines.js";
export type { ToolEventKind, ToolEventOptions, ToolMetadata, ToolsFacet } from "./envelope/tools-facet.js";
export {
  createToolEvent,
  isToolsFacet,
  SUGGESTED_TOOL_KINDS,
  TOOLS_FACET_ID,
  toolsFacetSchema,
} from "./envelope/tools-facet.js";
export type { ErrorCode, FramerailErrorOptions, Issue, RetryAdvice } from "./error.js";
export { ERROR_CODES, FramerailError, isFramerailError, unreachable } from "./error.js";
export { checkEvent, readEvent } from "./event/read-event.js";
export type { Draft } from "./event/to-frame.js";
export { FRAME_OF_EVENT, RENDER, SUPPRESS, toFrame } from "./event/to-frame.js";
export type { AgentEvent, EventOf, EventType, TokensUsed } from "./event/vocabulary.js";
export { EVENT_TYPES, EVENTS, isEventType } from "./event/vocabulary.js";
export { explainCode } from "./explain-code.js";
export type { Envelope, FrameGroup } from "./frame/define-frame.js";
export { WIRE_VERSION } from "./frame/define-frame.js";
export type { FrameEncoder, FrameEncoderOptions, FrameRoom } from "./frame/encode-frame.js";
export { createFrameEncoder } from "./frame/encode-frame.js";
export type { CancelCode, Failure, FailureCode, PartFailure } from "./frame/failure.js";
export { CANCEL_CODES, ENVELOPE_FAILURE_REASONS } from "./frame/failure.js";
export type { WireVersion } from "./frame/frame-set.js";
export { FRAME_SETS, WIRE_VERSIONS } from "./frame/frame-set.js";
export type { Frame04 } from "./frame/project-04.js";
export { projectFrame04 } from "./frame/project-04.js";
export type { FrameReading } from "./frame/read-frame.js";
export { readFrame, readFrame04 } from "./frame/read-frame.js";
export type { Usage } from "./frame/usage.js";
export { addUsage, NO_USAGE } from "./frame/usage.js";
export type { Frame, FrameOf, FrameType, PayloadOf } from "./frame/vocabulary.js";
export { FRAME_TYPES, FRAMES, isFrameType, STATUS_ID } from "./frame/vocabulary.js";
export type { ClassGuard } from "./lifecycle/guard.js";
export { classify, createClassGuard } from "./lifecycle/guard.js";
export type { GuardStreamOptions, StreamReport } from "./lifecycle/guard-stream.js";
export { guardStream } from "./lifecycle/guard-stream.js";
export type { FailureCause, TerminalLatch, TurnOutcome } from "./lifecycle/outcome.js";
export {
  createTerminalLatch,
  isIncomplete,
  outcomeOfTerminal,
  streamStatusOf,
  terminalFrameOf,
} from "./lifecycle/outcome.js";
export type { MessageClass, Phase, Verdict } from "./lifecycle/phase.js";
export type { StreamProtocolSpec, ViolationDetails } from "./lifecycle/spec.js";
export type { TurnGuard } from "./lifecycle/turn-guard.js";
export { createTurnGuard } from "./lifecycle/turn-guard.js";
export type { TurnMessage } from "./lifecycle/turn-spec.js";
export { turnSpec } from "./lifecycle/turn-spec.js";
export { FRAME_BYTES_MAX, JSON_DEPTH_MAX, TEXT_CHUNK_BYTES_MAX } from "./limits.js";
export type {
  EofDetails,
  EofErrorCode,
  EofMessage,
  EofPayload,
  EofReason,
  ProgressPayload,
  SyncState,
} from "./pipeline/eof.js";
export { abortedEof, completeEof, EOF_REASONS, errorEof, limitEof } from "./pipeline/eof.js";
export type { LogLevel, PipelineMessage, PipelineMessageType } from "./pipeline/message.js";
export { LOG_LEVELS, logMessage, readPipelineMessage, writePipelineMessage } from "./pipeline/message.js";
export { eofOfOutcome } from "./pipeline/project-outcome.js";
export type { PipelineRoute, RouteOptions } from "./pipeline/routes.js";
export { createRouteSpec, PIPELINE_ROUTES } from "./pipeline/routes.js";
export { splitText, truncateMessage } from "./schema/cut-text.js";
export type { Json } from "./schema/schema.js";
export type { FinalizeOptions, MessageAccumulator, MessageAccumulatorOptions } from "./transcript/accumulator.js";
export { createMessageAccumulator } from "./transcript/accumulator.js";
export type { AssistantMessage, UserMessage } from "./transcript/assistant-message.js";
export { checkMessage, tokensUsed } from "./transcript/assistant-message.js";
export type { ContentItem, ContentItemOf, ContentItemType } from "./transcript/content-item.js";
export { sequenceOf, timestampOf } from "./transcript/content-item.js";
export { itemDurationsMs, runningTools } from "./transcript/display-items.js";
export type { TrainingExample } from "./transcript/export-items.js";
export { exportItems } from "./transcript/export-items.js";
export type { TranscriptEvent } from "./transcript/transcript-event.js";
export { isTranscriptEventType } from "./transcript/transcript-event.js";
