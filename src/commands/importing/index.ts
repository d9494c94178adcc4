export { findConversations, type FoundConversation, type FoundOrNot } from './conversations.js'
export { readConversation, readWithPauses, type ReadConversation, type ReadOptions } from './read-conversation.js'
